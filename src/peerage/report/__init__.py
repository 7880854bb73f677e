"""One self-contained HTML file about a fit, for staff; and for each student a page about that student alone.

A page is made from results and nothing else (:mod:`~peerage.report.report_source`), through a typed context
(:mod:`~peerage.report.staff_page`), by a template that escapes all text (:mod:`~peerage.report.render`).
"""
