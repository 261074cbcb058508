"""General Qt parts that know nothing of captures: themes, widgets, tables, background jobs."""
