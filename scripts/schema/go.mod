module schema

go 1.19
