#!/usr/bin/env bash
# UNTESTED: written for PBS Professional and OpenPBS from their manuals, never run under either. Please read it first.
# Written by jobs/submit from jobs/templates/pbs.sh and job.sh. Submit again with: qsub THIS_FILE
@{directives}
@{settings}

@{body}
