#!/usr/bin/env bash
# Written by jobs/submit from jobs/templates/local.sh and job.sh. Run again with: bash THIS_FILE
@{settings}

@{body}
