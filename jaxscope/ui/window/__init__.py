"""The main window: call bar, pipeline strip, workspace, menus, dialogs, settings."""
