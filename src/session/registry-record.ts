import { type Static, Type } from '@sinclair/typebox';
import { Choice, Closed, jsonFile, Nullable, OptionalText, Text } from './file-schema.js';

const remedy = 'delete it, and launch the agent again if it is to be found by name';
const Optional = Type.Optional;
const Port = Type.Integer({ minimum: 1, maximum: 65535 });
const Mailbox = Optional(Nullable(Type.Object({}, { additionalProperties: true })));
const Tmux = Optional(Type.Literal('tmux'));

/** The address of an agent's gateway: a hint that readers verify. */
const Gateway = Closed({ host: Text, port: Port, state_path: Text, protocol_version: Text });
const identity = Closed({ backend: Text, tool: Text });
const runtime = Closed({ manifest_path: Text, session_root: OptionalText, agent_def_dir: OptionalText });
/**
 * The gateway as files have it: older releases of the runtime name its folder, and leave the other fields empty when none runs.
 */
const WrittenGateway = Closed({
  gateway_root: OptionalText,
  attach_path: OptionalText,
  host: OptionalText,
  port: Optional(Nullable(Port)),
  state_path: OptionalText,
  protocol_version: OptionalText,
});
const common = {
  agent_name: Text,
  agent_id: Text,
  generation_id: Text,
  identity,
  runtime,
  gateway: Optional(Nullable(WrittenGateway)),
  mailbox: Mailbox,
};
const SecondVersion = Closed({
  schema_version: Type.Literal(2),
  ...common,
  published_at: Text,
  lease_expires_at: Text,
  terminal: Closed({ kind: Tmux, session_name: Text }),
});
const ThirdVersion = Closed({
  schema_version: Type.Literal(3),
  ...common,
  lifecycle: Closed({
    state: Choice('active', 'stopped', 'relaunching', 'retired'),
    relaunchable: Type.Boolean(),
    state_updated_at: Text,
    stopped_at: OptionalText,
    stop_reason: OptionalText,
  }),
  liveness: Optional(Nullable(Closed({ published_at: Text, lease_expires_at: Text }))),
  terminal: Closed({ kind: Tmux, current_session_name: OptionalText, last_session_name: OptionalText }),
});
const second = jsonFile(SecondVersion, remedy);
const third = jsonFile(ThirdVersion, remedy);
const AnyVersion = Type.Object({ schema_version: Type.Unknown() });
const any = jsonFile(AnyVersion, remedy);

/** `live_agents/<agent_id>/record.json`: a hint where to find an agent of this host (docs/decisions.md#registry). */
export interface RegistryRecord extends Omit<Static<typeof SecondVersion>, 'terminal' | 'gateway'> {
  readonly terminal: { readonly kind: 'tmux'; readonly session_name: string };
  readonly gateway?: Static<typeof Gateway> | null;
}

/**
 * Reads a record of any version its file may have; null when it says that its agent was stopped. @throws {UnusableFile} when it
 * is damaged.
 */
function understood(path: string, value: Static<typeof AnyVersion>): RegistryRecord | null {
  if (value.schema_version !== 3) return fromSecond(second.check(path, value));
  const { lifecycle: _, liveness, terminal, ...record } = third.check(path, value);
  const session_name = terminal.current_session_name;
  if (!liveness || !session_name) return null;
  return fromSecond({ ...record, ...liveness, schema_version: 2, terminal: { session_name } });
}

function fromSecond({ gateway, terminal, ...record }: Static<typeof SecondVersion>): RegistryRecord {
  const { host, port, state_path, protocol_version } = gateway ?? {};
  const live = host && port && state_path && protocol_version;
  return {
    ...record,
    ...(gateway === undefined ? {} : { gateway: live ? { host, port, state_path, protocol_version } : null }),
    terminal: { kind: 'tmux', session_name: terminal.session_name },
  };
}

export const recordFile = {
  parse: (path: string, text: string): RegistryRecord | null => understood(path, any.parse(path, text)),
  /** Reads the record; null also when there is none. @throws {UnusableFile} when it is damaged. */
  read(path: string): RegistryRecord | null {
    const value = any.read(path);
    return value && understood(path, value);
  },
};

/**
 * Returns a changed record in the version of its file, with all fields that only that version has.
 * @throws {UnusableFile} when the file cannot be used any more.
 */
export function writtenBack(path: string, record: RegistryRecord): unknown {
  const value = any.require(path);
  if (value.schema_version !== 3)
    return { ...record, gateway: gatewayBack(second.check(path, value).gateway, record.gateway) };
  const before = third.check(path, value);
  const { published_at, lease_expires_at, gateway, mailbox } = record;
  return {
    ...before,
    liveness: { published_at, lease_expires_at },
    gateway: gatewayBack(before.gateway, gateway),
    mailbox: mailbox ?? null,
  };
}

/** Returns the gateway for the file: the releases that name the folder of a gateway require it in every record. */
function gatewayBack(
  before: Static<typeof WrittenGateway> | null | undefined,
  gateway: RegistryRecord['gateway'],
): Static<typeof WrittenGateway> | null {
  if (!before?.gateway_root) return gateway ?? null;
  const { gateway_root, attach_path = null } = before;
  const none = { host: null, port: null, state_path: null, protocol_version: null };
  return { gateway_root, attach_path, ...(gateway ?? none) };
}
