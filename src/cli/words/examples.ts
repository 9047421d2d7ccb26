import type { Command } from 'commander';

/** The most frequent uses of each command; each example is a whole command line after the name of the program. */
const examples: Readonly<Record<string, readonly string[]>> = {
  '': [
    'up',
    'agents launch --tool claude --headless --name alpha',
    'agents prompt alpha "Hello"',
    'agents list',
  ],
  up: ['up', 'up --tool codex --name alpha --workdir ~/project', 'up --standin'],
  top: ['top', 'top --json', 'top --server http://127.0.0.1:9889'],
  setup: ['setup'],
  mcp: ['mcp', 'mcp --server http://127.0.0.1:9889'],
  acp: ['acp alpha', 'acp alpha --server http://127.0.0.1:9889'],
  ls: ['ls', 'ls --watch'],
  rm: ['rm alpha', 'rm alpha beta --yes'],
  attach: ['attach beta'],
  backup: ['backup alpha.tar.gz alpha', 'backup everything.tar.gz --all'],
  restore: ['restore alpha.tar.gz', 'restore alpha.tar.gz --as beta --root ~/beta --workdir ~/project'],
  config: ['config show', 'config set tool codex', 'config set retain-days 30'],
  'config show': ['config show', 'config show --json'],
  'config set': ['config set tool codex', 'config set retain-days 30', 'config set log-size 50M'],
  'config unset': ['config unset tool'],
  context: [
    'context add build http://build.example:9889 --token-file ~/build.token',
    'context use build',
    'context use here',
  ],
  'context list': ['context list'],
  'context add': [
    'context add build http://build.example:9889 --token-file ~/build.token',
    'context add laptop http://127.0.0.1:9889 --use',
  ],
  'context use': ['context use build', 'context use here'],
  'context rm': ['context rm build'],
  uninstall: ['uninstall --dry-run', 'uninstall'],
  service: ['service install', 'service uninstall'],
  'service install': ['service install'],
  'service uninstall': ['service uninstall'],
  agents: ['agents list', 'agents prompt alpha "Which tests fail?"', 'agents doctor alpha'],
  'agents launch': [
    'agents launch --tool claude --headless --name alpha --workdir ~/project',
    'agents launch --tool codex --tui --name beta --mailbox ~/mail',
    'agents launch --tool claude --no-tmux --turn-time-limit 2h --env-file .env -- --verbose',
  ],
  'agents restart': ['agents restart alpha', 'agents restart --all'],
  'agents list': [
    'agents list',
    'agents list --watch',
    'agents list --state needs-you --tool claude',
    'agents list --fleet',
    'agents list --json',
    'agents list --server http://127.0.0.1:9889',
    'agents list --context here',
  ],
  'agents doctor': ['agents doctor alpha', 'agents doctor'],
  'agents stop': ['agents stop alpha', 'agents stop alpha beta', 'agents stop --all'],
  'agents rm': ['agents rm alpha', 'agents rm alpha beta --yes'],
  'agents attach': ['agents attach beta'],
  'agents prune': ['agents prune --dry-run', 'agents prune --yes'],
  'agents prompt': [
    'agents prompt alpha "Which tests fail, and why?"',
    'agents prompt alpha --file task.md --timeout 30m',
    'agents prompt alpha "Pull, and run the tests" --also beta --also gamma',
    'agents prompt --all "Commit your work and stop"',
    'agents prompt alpha --new --no-wait "Tidy up the changelog"',
    'git diff | houmao-mgr agents prompt alpha -',
  ],
  'agents interrupt': [
    'agents interrupt alpha',
    'agents interrupt --all',
    'agents interrupt alpha --turn turn-7dfd4afbe718',
  ],
  'agents follow': ['agents follow alpha', 'agents follow alpha turn-7dfd4afbe718 --json'],
  'agents requests': [
    'agents requests list alpha --state accepted',
    'agents requests wait alpha gwreq-20260313-082443Z-b7561051',
  ],
  'agents requests list': [
    'agents requests list alpha',
    'agents requests list alpha --outcome failed --limit 5',
  ],
  'agents requests show': ['agents requests show alpha gwreq-20260313-082443Z-b7561051'],
  'agents requests wait': ['agents requests wait alpha gwreq-20260313-082443Z-b7561051 --timeout 1h'],
  'agents requests cancel': ['agents requests cancel alpha gwreq-20260313-082443Z-b7561051'],
  'agents turns': ['agents turns get alpha turn-7dfd4afbe718'],
  'agents turns get': ['agents turns get alpha turn-7dfd4afbe718 --json'],
  'agents turns wait': ['agents turns wait alpha turn-7dfd4afbe718 --timeout 1h'],
  'agents events': [
    'agents events alpha --follow',
    'agents events alpha --kind turn_ended --kind failed',
    'agents events alpha --follow --after 41 --json',
    'agents events --all --follow',
  ],
  'agents usage': ['agents usage', 'agents usage alpha beta --days 30', 'agents usage --json'],
  'agents logs': ['agents logs alpha --follow', 'agents logs alpha -n 20'],
  'agents screen': ['agents screen beta'],
  'agents answer': [
    'agents answer beta',
    'agents answer beta --dialog dialog-3f9a0c41d2b7 --choose 1',
    'agents answer beta --keys "<[Escape]>"',
  ],
  'agents keys': ['agents keys beta "/model<[Enter]>"', "agents keys beta --literal 'as it is: <[Enter]>'"],
  'agents gateway': ['agents gateway status alpha', 'agents gateway attach alpha'],
  'agents gateway attach': [
    'agents gateway attach alpha',
    'agents gateway attach alpha --port 43000 --restart',
  ],
  'agents gateway detach': ['agents gateway detach alpha'],
  'agents gateway status': ['agents gateway status alpha'],
  'agents gateway pause': ['agents gateway pause alpha'],
  'agents gateway resume': ['agents gateway resume alpha'],
  'agents gateway reconcile': ['agents gateway reconcile alpha --adopt'],
  'agents gateway reminders': ['agents gateway reminders list alpha'],
  'agents gateway reminders list': ['agents gateway reminders list alpha'],
  'agents gateway reminders get': ['agents gateway reminders get alpha greminder-1f0c2b9d'],
  'agents gateway reminders create': [
    'agents gateway reminders create alpha --prompt "Review the inbox" --in 5m --every 1h',
    'agents gateway reminders create alpha --prompt "Stand-up" --at 2026-03-13T09:00:00Z',
  ],
  'agents gateway reminders set': [
    'agents gateway reminders set alpha greminder-1f0c2b9d --every 2h --no-paused',
  ],
  'agents gateway reminders remove': ['agents gateway reminders remove alpha greminder-1f0c2b9d'],
  'agents single': ['agents single --agent-name alpha mail check'],
  'agents self': ['agents self mail check --unread-only'],
  mailbox: ['mailbox status --mailbox-root ~/mail'],
  'mailbox init': ['mailbox init --mailbox-root ~/mail'],
  'mailbox status': ['mailbox status --mailbox-root ~/mail --json'],
  'mailbox register': [
    'mailbox register --mailbox-root ~/mail --address ann@houmao.localhost --principal-id HOUMAO-ann',
  ],
  'mailbox unregister': ['mailbox unregister --mailbox-root ~/mail --address ann@houmao.localhost'],
  'mailbox repair': ['mailbox repair --mailbox-root ~/mail'],
  'mailbox cleanup': ['mailbox cleanup --mailbox-root ~/mail --inactive-older-than-seconds 30d --dry-run'],
  'mailbox clear-messages': ['mailbox clear-messages --mailbox-root ~/mail --dry-run'],
  'mailbox export': ['mailbox export --mailbox-root ~/mail --all-accounts --output-dir archive'],
  'mailbox accounts': ['mailbox accounts list --mailbox-root ~/mail'],
  'mailbox accounts list': ['mailbox accounts list --mailbox-root ~/mail'],
  'mailbox accounts get': ['mailbox accounts get --mailbox-root ~/mail --address ann@houmao.localhost'],
  'mailbox messages': ['mailbox messages list --mailbox-root ~/mail --address ann@houmao.localhost'],
  'mailbox messages list': ['mailbox messages list --mailbox-root ~/mail --address ann@houmao.localhost'],
  'mailbox messages clear': [
    'mailbox messages clear --mailbox-root ~/mail --address ann@houmao.localhost --dry-run',
  ],
  'mailbox messages get': [
    'mailbox messages get --mailbox-root ~/mail --address ann@houmao.localhost --message-id msg-1',
  ],
  server: ['server start', 'server status'],
  'server start': ['server start', 'server start --port 9890 --foreground'],
  'server status': ['server status --json'],
  'server stop': ['server stop'],
  fleet: [
    'fleet up',
    'fleet join nats://127.0.0.1:4222 --credentials ~/fleet/ws1.nk --host-name ws1',
    'fleet hosts',
  ],
  'fleet join': [
    'fleet join nats://127.0.0.1:4222 --credentials ~/fleet/ws1.nk --host-name ws1',
    'fleet join tls://nats.example.com:4222 --credentials ~/ws1.nk --ca ~/ca.pem',
  ],
  'fleet leave': ['fleet leave'],
  'fleet status': ['fleet status', 'fleet status --json'],
  'fleet hosts': ['fleet hosts', 'fleet hosts --json'],
  'fleet commands': ['fleet commands', 'fleet commands beta@ws2', 'fleet commands --all --json'],
  'fleet events': ['fleet events --follow', 'fleet events --follow --after t9wu00-42'],
  'fleet up': [
    'fleet up',
    'fleet up --host ws1 --host ws2 --data ~/fleet',
    'fleet up --binary ~/nats/bin/nats-server --port 0',
  ],
  'fleet credentials': [
    'fleet credentials --host ws1 --host ws2',
    'fleet credentials --host ws1 --host ws2 --out ~/fleet --listen 0.0.0.0:4222 --tls-cert /etc/nats/cert.pem --tls-key /etc/nats/key.pem',
    'fleet credentials --host ws3 --out ~/fleet',
  ],
  notify: ['notify add --desktop', 'notify list'],
  'notify add': [
    'notify add --webhook https://example.com/houmao',
    'notify add --desktop --agent alpha --event dialog_shown',
    'notify add --command ./on-event.sh --event turn_ended -- --verbose',
  ],
  'notify list': ['notify list --json'],
  'notify show': ['notify show notif-0f3c9d2b7a11'],
  'notify test': ['notify test notif-0f3c9d2b7a11'],
  'notify enable': ['notify enable notif-0f3c9d2b7a11'],
  'notify disable': ['notify disable notif-0f3c9d2b7a11'],
  'notify rm': ['notify rm notif-0f3c9d2b7a11'],
  'notify rotate-secret': ['notify rotate-secret notif-0f3c9d2b7a11'],
  'notify deliveries': ['notify deliveries notif-0f3c9d2b7a11 --limit 5'],
  'notify resend': ['notify resend notif-0f3c9d2b7a11 msg_0f3c9d2b7a110f3c9d2b7a11'],
  completion: ['completion bash'],
};

/**
 * The mail commands of an agent, which exist below `agents`, `agents single` and `agents self`: `@` marks the place of the
 * agent's name.
 */
const mailExamples: Readonly<Record<string, readonly string[]>> = {
  mail: ['mail check@ --unread-only'],
  'mail status': ['mail status@'],
  'mail resolve-live': ['mail resolve-live@ --json'],
  'mail list': ['mail list@ --box inbox --limit 10'],
  'mail check': ['mail check@ --unread-only'],
  'mail peek': ['mail peek@ --message-ref filesystem:msg-1'],
  'mail read': ['mail read@ --message-ref filesystem:msg-1'],
  'mail attachment': ['mail attachment@ --message-ref filesystem:msg-1 --attachment-id att-1'],
  'mail send': [
    'mail send@ --to reviewer@houmao.localhost --subject "The parser" --body-content "Is it right?"',
  ],
  'mail post': ['mail post@ --subject "From me" --body-content "Take the release first."'],
  'mail reply': ['mail reply@ --message-ref filesystem:msg-1 --body-content "Yes."'],
  'mail mark': ['mail mark@ --message-ref filesystem:msg-1 --read'],
  'mail mark-read': ['mail mark-read@ --message-ref filesystem:msg-1'],
  'mail move': ['mail move@ --message-ref filesystem:msg-1 --destination-box inbox'],
  'mail archive': ['mail archive@ --message-ref filesystem:msg-1'],
  'mail-notifier': ['mail-notifier status@'],
  'mail-notifier status': ['mail-notifier status@'],
  'mail-notifier enable': ['mail-notifier enable@ --interval 5m --mode unread_only'],
  'mail-notifier disable': ['mail-notifier disable@'],
  mailbox: ['mailbox status@'],
  'mailbox status': ['mailbox status@'],
  'mailbox register': ['mailbox register@ --mailbox-root ~/mail'],
  'mailbox unregister': ['mailbox unregister@'],
};

/** The places of the mail commands, and of the agent's name there: before the command, or after it. */
const mailPlaces = [
  { group: 'agents single', prefix: 'agents single --agent-name alpha ', named: '' },
  { group: 'agents self', prefix: 'agents self ', named: '' },
  { group: 'agents', prefix: 'agents ', named: ' alpha' },
] as const;

/** Returns the examples of a command; null when there are none. @param path its words, without the program's name */
export function examplesOf(path: string): readonly string[] | null {
  const own = examples[path];
  if (own) return own.map((words) => (words.includes('houmao-mgr ') ? words : `houmao-mgr ${words}`));
  for (const { group, prefix, named } of mailPlaces) {
    const lines = path.startsWith(`${group} `) ? mailExamples[path.slice(group.length + 1)] : undefined;
    if (lines) return lines.map((words) => `houmao-mgr ${prefix}${words.replace(/@(?= |$)/, named)}`);
  }
  return null;
}

/** Adds the examples to the help of each command. */
export function addExamples(command: Command, path: readonly string[] = []): void {
  const lines = examplesOf(path.join(' '));
  if (lines) command.addHelpText('after', `\nExamples:\n${lines.map((line) => `  ${line}`).join('\n')}`);
  for (const one of command.commands) addExamples(one, [...path, one.name()]);
}
