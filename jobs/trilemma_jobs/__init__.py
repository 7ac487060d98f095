"""What jobs/submit is made of: options, plan, job scripts, batch systems, the local back-end."""
