"""A field trial: prompted motions on anybody's board, judged and measured from its frames. Values in, values out.

`plan` says what is asked for, `trial` follows a person through it frame by frame, `frame_times` measures what a motion looked like,
`fitting` makes figures and a noise profile of it all. What runs a trial is in `referee.runtime.field_trial_session`.
"""
