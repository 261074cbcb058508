#!/bin/bash
# Captures CALL of FILE at BASE and compares it with the checked-out one. What differs goes to the
# summary of the job, and to a comment on PULL_REQUEST if there is one.
set -uo pipefail

temp=$(mktemp -d)
told=$temp/told.md
root=$PWD
trap 'cd "$root"; git worktree remove --force "$temp/base" 2>/dev/null; rm -rf "$temp"' EXIT
call=()
if [ -n "${CALL:-}" ]; then call=("$CALL"); fi
read -ra options <<<"${OPTIONS:-}"

tell_failure() {
    printf '%s\n\n```\n%s\n```\n' "$1" "$(head -n 10 "$temp/errors")" >"$told"
}

if [ -z "${BASE:-}" ]; then
    echo "There is no commit to compare with: name one as base." >&2
    exit 2
fi
git cat-file -e "$BASE^{commit}" 2>/dev/null || git fetch --quiet --depth=1 origin "$BASE" || exit 3
git worktree add --quiet --detach "$temp/base" "$BASE" || exit 3

status=0
if ! (cd "$temp/base" && jaxscope capture "$FILE" "${call[@]}" "${options[@]}" \
    -o "$temp/base.jaxscope") 2>"$temp/errors"; then
    tell_failure "\`$FILE\` could not be captured before the change, so there is nothing to compare."
else
    jaxscope diff "$temp/base.jaxscope" "$FILE${CALL:+::$CALL}" "${options[@]}" --md \
        >"$told" 2>"$temp/errors"
    status=$?
    if [ "$status" = 5 ]; then
        status=0 # they differ, which is what is told
    elif [ "$status" != 0 ]; then
        tell_failure "\`$FILE\` could not be captured with the change."
    fi
fi

cat "$told"
if [ -n "${GITHUB_STEP_SUMMARY:-}" ]; then cat "$told" >>"$GITHUB_STEP_SUMMARY"; fi
if [ -n "${PULL_REQUEST:-}" ] && [ -n "${GH_TOKEN:-}" ]; then
    gh pr comment "$PULL_REQUEST" --edit-last --create-if-none --body-file "$told" ||
        echo "It was not posted: the token may not comment here, as that of a fork's pull request." >&2
fi
exit "$status"
