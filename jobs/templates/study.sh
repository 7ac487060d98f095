# What only the jobs of studies do; a part of job.sh, which has `start`, `say` and what they need.
#
#   runs      array: arguments of the program, one run each, quoted; the last word is the file to be written
#
# shellcheck shell=bash disable=SC2154

# Ticks of all processors of this node: all, spent (stolen ones too), and spent by this job, and how many processors.
count_ticks() {
  local lines words
  mapfile -t lines < <(grep '^cpu' /proc/stat)
  read -ra words <<<"${lines[0]}"
  ticks_busy=$((words[1] + words[2] + words[3] + words[6] + words[7] + words[8]))
  ticks_all=$((ticks_busy + words[4] + words[5]))
  processors=$((${#lines[@]} - 1))
  read -ra words </proc/$$/stat
  ticks_own=$((words[15] + words[16]))  # of children that have ended
}

# Cores that others have used meanwhile, in the mean; what slurmd or flux start is no child of this script.
cores_of_others() {  # BUSY ALL OWN before
  local hundredths=$((100 * processors * (ticks_busy - $1 - ticks_own + $3) / (ticks_all > $2 ? ticks_all - $2 : 1)))
  ((hundredths >= 0)) || hundredths=0
  case $launcher in
    srun | flux) echo null ;;
    *) printf '%d.%02d' $((hundredths / 100)) $((hundredths % 100)) ;;
  esac
}

# Time since some moment; before bash 5 in whole seconds.
microseconds() { local now=${EPOCHREALTIME:-}; now=${now/[.,]/}; echo "${now:-$((SECONDS * 1000000))}"; }
seconds_since() {  # MICROSECONDS
  local passed=$(($(microseconds) - $1))
  printf '%d.%03d' $((passed / 1000000)) $((passed / 1000 % 1000))
}

load_now() {
  local load=null
  read -r load _ </proc/loadavg
  echo "$load"
}

# One run, unless its file is there, and a note of what else went on. What an interruption left is started over: a
# resumed run is no evidence of time.
run_point() {
  local arguments target before begun was
  eval "arguments=(${runs[$1]})"  # words that jobs/submit has quoted
  target=${arguments[-1]}
  code=0
  [[ ! -e $target ]] || return 0
  if [[ ${arguments[0]} == calibrate ]] && ((crowded == 1)); then
    say "no calibration: $ranks ranks share the cores of a node, and would measure the scheduler"
    return 0
  fi
  begun=$(utc)
  before=$(load_now)
  count_ticks
  was=("$ticks_busy" "$ticks_all" "$ticks_own" "$(microseconds)")
  start "${arguments[@]}"
  ((code != stopped_code)) || restart_later
  count_ticks
  printf '{"started": "%s", "seconds": %s, "code": %d, "cores": %d, "ranks_here": %d, "load_before": %s, ' \
    "$begun" "$(seconds_since "${was[3]}")" "$code" "$(cores_here)" "$(most_ranks_of_a_node)" "$before" >"${target%.h5}.json"
  printf '"load_after": %s, "others": %s}\n' "$(load_now)" "$(cores_of_others "${was[@]:0:3}")" >>"${target%.h5}.json"
}

# The local back-end starts a job for each run, since ranks change from run to run; elsewhere they follow each other.
run_study() {
  local i failed=() numbers=("${!runs[@]}")
  [[ $scheduler != local ]] || numbers=("$task")
  for i in "${numbers[@]}"; do
    run_point "$i"
    ((code == 0)) || failed+=("$i (code $code)")
  done
  ((${#failed[@]} == 0)) || { say "FAILED runs: ${failed[*]}" >&2; exit 3; }
  exit 0
}

