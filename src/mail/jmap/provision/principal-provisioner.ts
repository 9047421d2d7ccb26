import { Type } from '@sinclair/typebox';
import { ServerFault } from '../client/server-fault.js';
import type { MailAccount, MailProvisioner } from './mail-provisioner.js';
import type { ManagementApi } from './management-api.js';

const Names = Type.Optional(Type.Union([Type.String(), Type.Array(Type.String())]));
const ListSchema = Type.Object({
  data: Type.Object({
    items: Type.Array(
      Type.Object({
        name: Type.String(),
        id: Type.Optional(Type.Union([Type.String(), Type.Integer()])),
        emails: Names,
      }),
    ),
  }),
});
const DoneSchema = Type.Object({});

type Kind = 'domain' | 'individual';
type Principal = { name: string; id?: string | number; emails?: string | string[] };

/** Fields that are empty in a principal of either kind, unless they are set. */
const nothing = {
  secrets: [],
  emails: [],
  urls: [],
  memberOf: [],
  roles: [],
  lists: [],
  members: [],
  enabledPermissions: [],
  disabledPermissions: [],
  externalMembers: [],
};

/** Domains and accounts as principals: Stalwart up to 0.15. */
export class PrincipalProvisioner implements MailProvisioner {
  readonly #api: ManagementApi;

  constructor(api: ManagementApi) {
    this.#api = api;
  }

  async check(account: MailAccount): Promise<void> {
    accountIn(await this.#list('individual'), account);
  }

  async ensureDomain(domain: string): Promise<void> {
    const find = async () => (await this.#list('domain')).find(({ name }) => isSame(name, domain)) ?? null;
    if ((await find()) !== null) return;
    const description = 'Mail of Houmao agents';
    await this.#make({ ...nothing, type: 'domain', name: domain, description, quota: 0 }, find);
  }

  async ensureAccount(account: MailAccount, password: string): Promise<'made' | 'found'> {
    const find = async () => accountIn(await this.#list('individual'), account);
    const before = await find();
    if (before !== null) return this.#renew(before, account, password);
    const { address, principalId, loginIdentity: name } = account;
    const own = { secrets: [password], emails: [address], roles: ['user'] };
    const description = `Mailbox of the Houmao agent ${principalId}`;
    const principal = {
      ...nothing,
      ...own,
      type: 'individual' as const,
      name,
      description,
      quota: 0,
    };
    const { principal: made, isOurs } = await this.#make(principal, find);
    return isOurs ? 'made' : this.#renew(made, account, password);
  }

  async #list(kind: Kind): Promise<Principal[]> {
    const call = { method: 'GET', path: ['principal'], query: `?types=${kind}` } as const;
    return (await this.#api.ask(call, ListSchema)).data.items;
  }

  /** @returns the principal that exists then, and whether this call made it: another program may have been faster. */
  async #make(
    principal: { name: string; type: Kind; [field: string]: unknown },
    find: () => Promise<Principal | null>,
  ): Promise<{ principal: Principal; isOurs: boolean }> {
    const refusal = await this.#api
      .ask({ method: 'POST', path: ['principal'], body: principal }, DoneSchema)
      .then(() => null, asRefusal);
    const found = await find();
    if (found !== null) return { principal: found, isOurs: refusal === null };
    throw (
      refusal ??
      new ServerFault(
        'server_refused',
        `the mail server says that it made the ${principal.type} ${principal.name}, and does not list it`,
      )
    );
  }

  async #renew(found: Principal, { address }: MailAccount, password: string): Promise<'found'> {
    const changes = [
      ...(hasAddress(found, address) ? [] : [{ action: 'addItem', field: 'emails', value: address }]),
      // Only the password changes: if the secrets were set as a whole, those that the owner made for programs and
      // a second factor would be lost.
      { action: 'removeItem', field: 'secrets', value: '' },
      { action: 'addItem', field: 'secrets', value: password },
    ];
    const change = (key: string) =>
      this.#api.ask({ method: 'PATCH', path: ['principal', key], body: changes }, DoneSchema);
    await change(found.name).catch((error: unknown) => {
      // Versions differ in whether a principal is addressed by its name or its id.
      if (found.id === undefined || !(error instanceof ServerFault) || error.type !== 'notFound') throw error;
      return change(String(found.id));
    });
    return 'found';
  }
}

/** Compares names: a mail server does not distinguish upper and lower case. */
const isSame = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase();

const addressesOf = ({ emails = [] }: Principal): readonly string[] =>
  typeof emails === 'string' ? [emails] : emails;

const hasAddress = (principal: Principal, address: string): boolean =>
  addressesOf(principal).some((one) => isSame(one, address));

/**
 * Pure: returns the account that has the address, or else the one that has its login name and no address.
 * Accounts sign in there by their name.
 * @throws {ServerFault} where the address belongs to an account with another name, or the name to one with another address.
 */
function accountIn(all: readonly Principal[], { address, loginIdentity }: MailAccount): Principal | null {
  const owner = all.find((one) => hasAddress(one, address));
  const named = all.find(({ name }) => isSame(name, loginIdentity));
  if (owner !== undefined && isSame(owner.name, loginIdentity)) return owner;
  if (owner !== undefined)
    throw leftAlone(
      `the account ${owner.name} of the mail server has the address ${address}, and its login is ${owner.name}`,
      `give it that login (--login-identity ${owner.name})`,
    );
  if (named !== undefined && addressesOf(named).length > 0)
    throw leftAlone(
      `the account ${named.name} of the mail server has another address than ${address}`,
      'choose another login',
    );
  return named ?? null;
}

const leftAlone = (found: string, remedy: string): ServerFault =>
  new ServerFault(
    'server_refused',
    `${found}, so it is left alone; ${remedy}, or give a credential (--credential-file of houmao-mgr agents mailbox register, and of agents launch)`,
  );

/** Returns the fault of work that the server certainly did not do; any other error is thrown. */
function asRefusal(error: unknown): ServerFault {
  if (error instanceof ServerFault && error.code === 'server_refused' && !error.outcomeUnknown) return error;
  throw error;
}
