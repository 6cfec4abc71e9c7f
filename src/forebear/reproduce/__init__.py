"""The paper's tables and figures made anew, with its own numbers beside ours."""
