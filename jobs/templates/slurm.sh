#!/usr/bin/env bash
# Written by jobs/submit from jobs/templates/slurm.sh and job.sh. Submit again with: sbatch THIS_FILE
@{directives}
@{settings}

@{body}
