/**
 * Functions of sh for attackers. `peek PREFIX` reads every canary file below a prefix that may lead to the
 * root of the machine; `poke PREFIX` tries to change the attack's own mark there.
 */
export const PEEK = `
peek() {
  for file in $SECRET_FILE $OPEN_FILES $DATA/kubeconfig; do
    cat "$1$file" 2>/dev/null && echo
  done
}
poke() {
  { echo changed >>"$1$MARK"; chmod 4777 "$1$MARK"; rm -f "$1$MARK"; } 2>/dev/null
}
`;

/** From wherever the process is, and from everything above it. */
export const PEEK_AROUND = `${PEEK}
up=.
for step in 1 2 3 4 5 6 7 8 9 10; do peek "$up"; poke "$up"; up="$up/.."; done
`;
