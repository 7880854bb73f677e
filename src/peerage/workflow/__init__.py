"""What the rooms do together: fit a class or several, update, publish, compare, and keep results in folders.

The command line and any other program call the same functions. They take and return values, and never print.
"""
