#!/usr/bin/env bash
# UNTESTED: written for Flux from its manual, never run under it. Please read it first.
# Written by jobs/submit from jobs/templates/flux.sh and job.sh. Submit again with: flux batch THIS_FILE
@{directives}
@{settings}

@{body}
