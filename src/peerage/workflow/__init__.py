"""What the rooms do together: import a class, fit one or several, update, publish, compare, keep results in folders.

The command line and any other program call the same functions. They take and return values, and never print.
"""
