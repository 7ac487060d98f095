# What every job does: launch the program, pass signals on to it, take its exit code, requeue. The settings come from
# the head above: jobs/submit writes it from slurm.sh, pbs.sh, flux.sh or local.sh; jobs/slurm/run.sbatch has its own.
#
#   scheduler      slurm, pbs, flux or local
#   launcher       auto, srun or mpirun (flux always takes `flux run`)
#   ranks, nodes (0: the scheduler chooses), cores_per_rank, threads_per_core: the requested placement
#   shared_cores   1: other jobs of ours use the same cores, so nothing is bound
#   program        array: what runs on every rank, a container's exec in front of it
#   command        array: (run FILE ...), (sweep FILE ...), (study) or (analyse COMMAND ...)
#   output         of run: the run file
#   tasks, cells, cells_per_task   of sweep: task i has the cells i*cells_per_task ... below cells
#   max_restarts   number of restarts after which the job gives up
#   TRILEMMA_WATCHDOG  exported: the program's watchdog.seconds where the experiment sets none
#   signal_before  seconds between the signal and the time limit
#   stop_after     seconds until the job signals itself, where the scheduler sends no signal (0: never)
#
# shellcheck shell=bash disable=SC2154,SC2317

readonly stopped_code=85  # the program ended a round, wrote a checkpoint and left
readonly lost_daemon_code=205  # mpirun of Open MPI 4: no connection to its daemon on a node
child=                    # pid of the launcher, while it runs
signals=                  # signals that this script was sent
caught=                   # a trap has just interrupted `wait`
list_of_hosts=            # a file for srun that is removed at the end
unsure=                   # the launcher may end with 0 after a signal, whatever the program said

say() { printf 'trilemma job: %s\n' "$*"; }
utc() { TZ=UTC printf '%(%FT%TZ)T' -1; }
fail() { say "$*" >&2; exit 2; }

# --- Signals --------------------------------------------------------------------------------------
# bash runs traps only between foreground commands, so the launcher runs in the background. USR1 comes from the
# scheduler before the time limit, TERM at preemption and cancellation; either way the program is asked by USR1 to stop
# with a checkpoint. (TERM would make mpirun kill its ranks a second later.)
on_signal() {
  caught=yes
  signals+=" $1"
  say "got $1; asking the program to stop with a checkpoint"
  [[ -z $child ]] || kill -USR1 "$child" 2>/dev/null
}

# A round that is longer than the time left must not cost the job: resume from the last checkpoint instead.
on_late() {
  caught=yes
  say "the program has not stopped in time"
  restart_later
}

# Sends this script a signal later: timer SECONDS SIGNAL.
timer() {
  (
    sleep "$1" &
    trap 'kill $!; exit' TERM
    trap '' USR1 USR2
    wait "$!" && kill "-$2" $$
  ) >/dev/null 2>&1 &
  timers+=("$!")
}
timers=()
# The first and the last line of a log; a local run or study writes to the terminal.
has_log() { [[ $scheduler != local || ${command[0]} == sweep ]]; }
say_start() {
  local part=
  [[ ${command[0]} != sweep ]] || part=", task $task"
  ! has_log || say "$(utc) started on ${HOSTNAME:-an unknown host}$part, restart $restart"
}
say_end() { ! has_log || say "$(utc) ended after $SECONDS s with code $1"; }

# All that runs in the background: a signal may come between the start of a child and the note of its pid.
leave_nothing() {
  local pids
  mapfile -t pids < <(jobs -p)
  kill "${pids[@]}" "${timers[@]}" 2>/dev/null
  [[ -z $list_of_hosts ]] || rm -f "$list_of_hosts"
}

watch_signals() {
  trap 'on_signal USR1; ((signal_before < 40)) || timer $((signal_before - 20)) USR2' USR1
  trap 'on_signal TERM' TERM
  trap on_late USR2
  trap 'say_end "$?"; leave_nothing' EXIT
  ((stop_after <= 0)) || timer "$stop_after" USR1
}

# Runs a command to its end whatever signals arrive; $code is its exit code, or `unknown` where bash has lost it.
attend() {
  local got interrupted=
  code=
  "$@" &
  child=$!
  [[ -z $signals ]] || kill -USR1 "$child"  # the signal came before the pid was known
  while :; do
    caught=
    wait "$child" && got=0 || got=$?
    [[ -n $caught ]] || break
    interrupted=yes
    # A trap that interrupts `wait` gives 128 and the signal's number; any other code is the command's own.
    [[ " 138 140 143 " == *" $got "* ]] || code=$got
  done
  [[ -n $interrupted && $got == 127 ]] || code=$got  # 127 after an interruption: waited for once too often
  code=${code:-unknown}
  child=
}

# --- Running the program ---------------------------------------------------------------------------
slurm_says() { scontrol show job --oneliner "$slurm_id" 2>/dev/null | sed -n "s/.* $1=\([^ ]*\).*/\1/p"; }

# While a preempted job has its grace time, Slurm has ended mpirun's daemons on the other nodes and notified this script
# nothing yet.
preempted() { [[ $scheduler == slurm && $(slurm_says PreemptTime) == [0-9]* ]]; }

# Runs the program: start ARGUMENTS...; $code is 85 where it left a checkpoint to resume from.
start() {
  local begun=$SECONDS
  code=$stopped_code
  [[ -z $signals ]] || return 0
  attend "${launch[@]}" "${program[@]}" "$@"
  # Open MPI 4.1 can crash inside MPI_Init when ranks connect by TCP: 4 of 270 launches over two nodes did; and its
  # mpirun can lose a daemon while the nodes start. A second try resumes from the newest checkpoint, so it does no harm.
  local why=
  [[ $code != 139 ]] || why="a segmentation fault"
  [[ $code != "$lost_daemon_code" || $launcher != mpirun ]] || why="mpirun lost the daemon of a node (code $code)"
  if [[ -n $why && -z $signals ]] && ((SECONDS - begun < 60)) && ! preempted; then
    say "$why in the first minute; trying once more"
    attend "${launch[@]}" "${program[@]}" "$@"
  fi
  # Asked to stop, a launcher may report a rank that it killed itself. 0, 2 and 3 are the program's own words, but an
  # unsure 0: a run that was complete after all is left alone by the next start.
  local own=" 2 3 $stopped_code "
  [[ -n $signals && -n $unsure ]] || own+="0 "
  if [[ $own != *" $code "* ]] && { [[ -n $signals ]] || preempted; }; then
    say "$launcher ended with code $code when the job was to stop; resuming from the newest checkpoint"
    code=$stopped_code
  fi
}

# --- Restarting -----------------------------------------------------------------------------------
# For the log, where the job does not come back by itself. Without --output the same command starts a new run.
how_to_go_on() {
  local with
  with="--output $(printf %q "$output")"
  [[ ${command[0]} != sweep ]] || with=--missing
  [[ ${command[0]} != study ]] || { echo "to go on, submit the same again"; return; }
  echo "the newest checkpoint is kept; to resume from it, submit the same again with $with"
}

# Where Slurm took the job away itself (preempted, cancelled, out of time) it also decides what becomes of it; to
# requeue it then would bring cancelled jobs back to life.
requeue_slurm() {
  local state
  state=$(slurm_says JobState)
  if [[ $state != RUNNING ]]; then
    say "Slurm has ended this job ($state). If it was preempted, it comes back by itself; if it was cancelled," \
      "$(how_to_go_on)"
  else
    say "requeueing job $slurm_id"
    scontrol requeue "$slurm_id" || say "requeue failed; $(how_to_go_on)" >&2
  fi
}

requeue_pbs() {
  say "requeueing job $PBS_JOBID"
  qrerun "$PBS_JOBID" || say "qrerun failed; $(how_to_go_on)" >&2
}

requeue_flux() {
  say "submitting this script again"
  flux --parent batch --env="TRILEMMA_TASK=$task" --env="TRILEMMA_RESTART=$((restart + 1))" "$TRILEMMA_SCRIPT" ||
    say "flux batch failed; $(how_to_go_on)" >&2
}

requeue_local() { :; }  # jobs/submit starts the script again

restart_later() {
  if ((restart >= max_restarts)); then
    say "GIVING UP after $restart restarts (--max-restarts $max_restarts): $(how_to_go_on)," \
      "with a longer --time or more restarts" >&2
  else
    "requeue_$scheduler"
  fi
  exit "$stopped_code"
}

# --- Kinds of job ---------------------------------------------------------------------------------
run_one() {
  start "${command[@]}" --output "$output" --resume
  ((code != stopped_code)) || restart_later
  ((code != 0)) || say "complete: $output"
  exit "$code"
}

# One cell after the other; a failed one does not keep the next from its turn.
run_cells() {
  local cell failed=()
  for ((cell = task * cells_per_task; cell < (task + 1) * cells_per_task && cell < cells; ++cell)); do
    say "cell $cell"
    start "${command[@]}" --run "$cell"
    ((code != stopped_code)) || restart_later
    ((code == 0)) || failed+=("$cell (code $code)")
  done
  ((${#failed[@]} == 0)) || { say "FAILED cells: ${failed[*]}" >&2; exit 3; }
  exit 0
}

set_place() {
  restart=0 task=0
  case $scheduler in
    slurm)
      restart=${SLURM_RESTART_COUNT:-0} task=${SLURM_ARRAY_TASK_ID:-0}
      # SLURM_JOB_ID of one task of an array is the array's own: scontrol would answer for all of them.
      slurm_id=${SLURM_ARRAY_JOB_ID:+${SLURM_ARRAY_JOB_ID}_$task}
      slurm_id=${slurm_id:-$SLURM_JOB_ID}
      ;;
    pbs)
      restart=$(qstat -f "$PBS_JOBID" 2>/dev/null | sed -n 's/^ *run_count = //p')
      restart=$((${restart:-1} - 1)) task=${tasks[${PBS_ARRAY_INDEX:-0}]:-0}
      ;;
    flux | local) restart=${TRILEMMA_RESTART:-0} task=${TRILEMMA_TASK:-${tasks[0]:-0}} ;;
  esac
}

main() {
  set_place
  if [[ ${command[0]} == analyse ]]; then
    exec "${command[@]:1}"
  fi
  say_start
  watch_signals
  set_launch
  case ${command[0]} in
    sweep) run_cells ;;
    study) run_study ;;
    *) run_one ;;
  esac
}

main
