rule:
    name:
        module_name
    input:
        data=alg_input_data(),
        edgeConstraints_formatted=edge_constraints_bnlearn,
    output:
        adjmat=alg_output_adjmat_path(module_name),
        time=alg_output_time_path(module_name),
        ntests=alg_output_ntests_path(module_name),
    container:
        "docker://bpimages/forebear:0.1.0"  # None runs the forebear that is installed
    script:
        "script.py"
