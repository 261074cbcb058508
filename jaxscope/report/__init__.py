"""Results as rows, sentences, plain text, Markdown and JSON-ready data."""
