# How a job launches the program: with which launcher, and how that places and binds the ranks. Part of job.sh, which
# provides `say` and `fail` and describes the settings.
#
# shellcheck shell=bash disable=SC2034,SC2154

# Ranks of this job on the node with most of them, as requested or as reported by the scheduler: "3,1" or "2(x3)".
most_ranks_of_a_node() {
  local most=$ranks on_node  # of the local back-end, also inside an allocation of Slurm
  if [[ $launcher == none ]]; then
    most=1  # simulated ranks, all in one process
  elif ((nodes > 0)); then
    most=$(((ranks + nodes - 1) / nodes))
  elif [[ $scheduler == slurm && -n ${SLURM_TASKS_PER_NODE:-} ]]; then
    most=0
    for on_node in ${SLURM_TASKS_PER_NODE//,/ }; do
      on_node=${on_node%%[!0-9]*}
      ((on_node <= most)) || most=$on_node
    done
  fi
  echo "$most"
}

is_even() { ((ranks % nodes == 0)); }

# The hosts of this job, one per line; none if the scheduler does not list them.
hosts_of_job() {
  case $scheduler in
    slurm) scontrol show hostnames "$SLURM_JOB_NODELIST" ;;
    pbs) uniq "$PBS_NODEFILE" ;;
  esac
}

# Blocks of consecutive ranks, one per host, the larger ones first: each_block COMMAND calls COMMAND with every host and
# number.
each_block() {
  local host at=0
  while read -r host; do
    "$1" "$host" $((ranks / nodes + (at < ranks % nodes)))
    at=$((at + 1))
  done < <(hosts_of_job)
}
one_line_a_rank() { local i; for ((i = 0; i < $2; ++i)); do echo "$1"; done; }
host_and_slots() { echo "$1:$2"; }

has_pmix() { command -v srun >/dev/null && srun --mpi=list 2>&1 | grep pmix >/dev/null; }

# Open MPI starts under srun only through PMIx.
choose_launcher() {
  case $scheduler in
    slurm) [[ $launcher != auto ]] || { has_pmix && launcher=srun || launcher=mpirun; } ;;
    flux) launcher=flux ;;
    local) ((ranks > 1)) || launcher=none
      [[ $launcher == none ]] || launcher=mpirun ;;  # simulated ranks need none
    *) [[ $launcher != auto ]] || launcher=mpirun ;;
  esac
  [[ $launcher == none ]] || command -v "$launcher" >/dev/null ||
    fail "$launcher was not found: load the module of your MPI (--modules), or choose another --launcher."
}

# Cores that this job may use here. `nproc` counts hardware threads, of which a core may have several.
cores_here() {
  local threads cores
  threads=$(nproc)
  cores=$threads
  if ((threads_per_core == 1)) && command -v lscpu >/dev/null; then
    cores=$(lscpu --parse=CORE,SOCKET | grep -v '^#' | sort -u | wc -l)
  fi
  echo $((cores > 0 && cores < threads ? cores : threads))
}

# More ranks than cores are acceptable only if waiting ranks yield and are not bound.
set_crowding() {
  crowded=$shared_cores
  (($(most_ranks_of_a_node) * cores_per_rank <= $(cores_here))) || crowded=1
  ((crowded == 0)) || export OMPI_MCA_mpi_yield_when_idle=1
}

mpirun_command() {
  local variable slots
  launch=(mpirun -n "$ranks")
  distribution=default binding=default
  if mpirun --version 2>/dev/null | grep 'Open MPI' >/dev/null; then
    distribution=slot binding=core
    if ((nodes > 0)) && is_even; then
      distribution=ppr:$((ranks / nodes)):node
    elif ((nodes > 0)); then
      slots=$(each_block host_and_slots)
      launch+=(--host "${slots//$'\n'/,}")
    fi
    if ((crowded == 1)); then
      binding=none
      launch+=(--oversubscribe)
    else
      distribution+=:PE=$cores_per_rank
    fi
    launch+=(--map-by "$distribution" --bind-to "$binding")
    for variable in "${for_ranks[@]}"; do
      [[ -z ${!variable:-} ]] || launch+=(-x "$variable")
    done
  else
    ((nodes == 0)) || ! is_even || launch+=(-ppn $((ranks / nodes)))
    unsure=yes  # mpirun of MPICH 4.0 may end with 0 after a signal
  fi
}

# --cpu-bind replaces the --hint of a job, so the threads per core are passed again. Slurm accepts uneven blocks only
# from a list of hosts; a list set by the user would override every other option.
srun_command() {
  unset SLURM_HOSTFILE
  distribution=block:block binding=cores
  ((crowded == 0)) || binding=none
  launch=(srun --mpi=pmix --export=ALL --ntasks="$ranks" --cpus-per-task=$((cores_per_rank * threads_per_core))
    --kill-on-bad-exit=1 --cpu-bind="$binding")
  ((threads_per_core > 1)) || launch+=(--threads-per-core=1)
  if ((nodes > 0)); then
    launch+=(--nodes="$nodes")
    if is_even; then
      launch+=(--ntasks-per-node=$((ranks / nodes)))
    else
      unset SLURM_NTASKS_PER_NODE
      list_of_hosts=$(mktemp) || fail "no list of hosts can be written to ${TMPDIR:-/tmp}; free some space there."
      each_block one_line_a_rank >"$list_of_hosts"
      export SLURM_HOSTFILE=$list_of_hosts
      distribution=arbitrary
    fi
  fi
  launch+=(--distribution="$distribution")
}

flux_command() {
  distribution=default binding=per-task
  launch=(flux run -n "$ranks" -c "$cores_per_rank" -o cpu-affinity=per-task)
  ((nodes == 0)) || launch+=(-N "$nodes")
}

# What the program compares with the nodes of its ranks, and records.
ask_for_placement() {
  export TRILEMMA_RANKS=$ranks TRILEMMA_CORES_PER_RANK=$cores_per_rank TRILEMMA_THREADS_PER_CORE=$threads_per_core
  unset TRILEMMA_NODES
  ((nodes == 0)) || export TRILEMMA_NODES=$nodes
}
# Variables that mpirun does not forward by itself.
for_ranks=(OPENBLAS_NUM_THREADS TRILEMMA_WATCHDOG TRILEMMA_DATA_DIR TRILEMMA_RANKS TRILEMMA_NODES
  TRILEMMA_CORES_PER_RANK TRILEMMA_THREADS_PER_CORE TRILEMMA_PLACEMENT_CHECK)

# Sets the array `launch`; the choices are exported for the run file.
set_launch() {
  choose_launcher
  set_crowding
  ask_for_placement
  export OPENBLAS_NUM_THREADS=${OPENBLAS_NUM_THREADS:-1}
  case $launcher in
    srun | mpirun | flux) "${launcher}_command" ;;
    none) launch=() distribution=none binding=none ;;
    *) fail "launcher '$launcher': expected auto, srun or mpirun." ;;
  esac
  # Direct copies from the memory of another process are often forbidden in containers; Open MPI then fails noisily.
  if [[ $scheduler == local ]] || ((${#program[@]} > 1)); then
    export OMPI_MCA_btl_vader_single_copy_mechanism=none
  fi
  export TRILEMMA_LAUNCHER=$launcher TRILEMMA_BINDING=$binding TRILEMMA_DISTRIBUTION=$distribution
  export TRILEMMA_RESTART=$restart
  say "$ranks ranks${SLURM_JOB_NODELIST:+ on $SLURM_JOB_NODELIST} by $launcher, distribution $distribution," \
    "binding $binding, restart $restart of $max_restarts"
}

