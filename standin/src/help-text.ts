export const versionText = '2.1.330 (Claude Code stand-in)';

export const helpText = `Usage: node dist/programs/standin-agent.js [options] [prompt]

A stand-in for the Claude Code CLI: same flags, same rows, no account and no network. It answers by repeating the
prompt. With -p it remembers its conversations under $CLAUDE_CONFIG_DIR (default: ~/.houmao-standin). The prompt comes
by stdin, or as an argument, or behind "--"; with an argument, stdin is not read.

Without -p it draws Claude Code's screen in its terminal, takes keys and pastes as Claude Code does, and writes the same
session files under $CLAUDE_CONFIG_DIR (default: ~/.claude): sessions/<pid>.json, projects/*/<session id>.jsonl,
history.jsonl. A tool asks for permission there. It knows /clear, /new, /exit and /quit.

Options:
  -p, --print                      answer once and exit
  --output-format <format>         text (default), json, or stream-json (needs --verbose)
  --verbose                        print every row
  --include-partial-messages       also print the answer in pieces, as stream_event rows
  -r, --resume <id>                go on with this conversation
  -c, --continue                   go on with the latest conversation of this directory, or start one
  --session-id <uuid>              id for a new conversation
  --append-system-prompt <text>    the role; kept in the ledger, otherwise unused
  --model <name>                   name shown in the rows
  --effort <level>                 low, medium, high, xhigh or max; kept in the ledger, otherwise unused
  --settings <json or file>        its hooks are run on the screen, as those of settings.json under $CLAUDE_CONFIG_DIR
                                   are: UserPromptSubmit and PermissionRequest, with async and timeout
  --dangerously-skip-permissions   accepted, and shown in the init row
  -v, --version                    print the version
  -h, --help                       print this text

Directives: written into the prompt, taken out of it again, and obeyed in the order of this list. On the screen count
slow, crash, exit, fail, tool, words and drip.
  [[ignore-signals]]       pay no attention to SIGINT and SIGTERM
  [[silent]]               print nothing at all until [[slow]] is over
  [[stderr=KB]]            write that many KiB of lines to stderr
  [[garbage]]              print bytes that are not UTF-8 and lines that are no rows, after the init row
  [[grandchild=MS]]        leave a process behind that holds stdout and stderr open for MS milliseconds
  [[slow=MS]]              wait that long before going on
  [[crash]]                then die by SIGKILL
  [[exit=N]]               then exit with code N and a line on stderr, without answer and result
  [[fail=401|429|500|529]] then fail as on that answer of the API: two retries, error text, failed result, exit 1
  [[tool=NAME {json}]]     use a tool: a tool_use and a tool_result row; may be repeated, the JSON may be left out
  [[hugerow=MB]]           print one row (a tool result) of that many MiB
  [[huge=MB]]              print that many MiB of stream_event rows
  [[words=N]]              add N words to the answer
  [[drip=MS]]              print the answer word by word as stream_event rows, waiting MS milliseconds after each
  [[no-result]]            exit 0 without the result row
  [[no-exit]]              print the result row and stay alive

Signals: SIGINT ends the turn with an interrupt notice and a failed result row, exit 0; SIGTERM ends it at once,
exit 143.

HOUMAO_STANDIN_LEDGER=<file>: one JSON line is appended when a prompt was taken (pid, session_id, prompt, turn_id
from HOUMAO_TURN_ID, at, and role, model, effort) and one when the turn is over ("done": true, outcome, exit_code).
On the screen a prompt also has its text without marks around large pastes and its source (typed, queued, absorbed),
and lines are added for a prompt that waits (queued), a dialog (its kind; shown, or the key and the answer), a command,
and the end of the program (exit: left, asked, crashed).

HOUMAO_STANDIN_MAIL=1: a prompt with a line "Gateway: \`http://...\`", as the mail notifier's have, makes it work through its
mailbox by that gateway's /v1/mail routes: each open message of the inbox is read, answered once (not one whose subject
begins with "Re:", nor one that takes no replies) and archived. Its answer says what it did.

HOUMAO_STANDIN_TUI=<names, between commas>: how it misbehaves on the screen. Times are milliseconds.
  drop-enter=N             the first N Enters are lost
  enter-as-newline=N       the first N Enters (after those) break the line instead
  swallow-paste=N          the first N pastes are lost
  deaf-start=MS            nothing is heard for that long after its box was drawn
  deaf-after-turn=MS       nothing is heard for that long after each turn
  late-echo=MS             the box shows that much later what was typed; Enter works at once
  slow-draw=MS             everything is drawn that much later
  clock                    a clock in the footer
  redraw                   the same rows are written again and again
  long-output=N            N rows more in each answer
  permission-early         a tool's dialog is drawn at once, instead of half a second after the tool asked
  permission-late=MS       it is drawn that long after the tool asked
  trust-dialog             begins with the question whether the folder is trusted ("No, exit" is preselected)
  crash-to-shell=N         exits with code 1 in the Nth turn; its session file stays
  session-file=missing     no session files; read-only: none, and the footer says so
  session-file=late:MS     they are written that much later
  session-file=contradicting  sessions/<pid>.json says busy when it is idle, and idle when it is not
  no-alternate-screen      draws below what stood in the pane, and scrolls with it
`;
