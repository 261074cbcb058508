"""One call on many targets: what each compiler made of it, and what its chip could do at best."""
