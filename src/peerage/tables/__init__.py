"""Cells and sheets: CSV, XLSX and Parquet files as text, numbers and columns."""
