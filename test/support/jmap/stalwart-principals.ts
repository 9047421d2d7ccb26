import type { Asked } from './scripted-server.js';

interface Principal {
  id: number;
  type: string;
  name: string;
  emails: string[];
  secrets: string[];
}
type SetPassword = (address: string, password: string, login: string) => Promise<void>;
interface Change {
  action: string;
  field: string;
  value: unknown;
}

/** A part of an answer that no Stalwart would need, since the request is not one that it is asked. */
export class WrongRequest extends Error {}

const emptyLists = [
  ...['urls', 'memberOf', 'lists', 'members'],
  ...['enabledPermissions', 'disabledPermissions', 'externalMembers'],
];

/** Secrets of an account that are no password: those that its owner made for a program, and a second factor. */
const isPassword = (secret: string): boolean => !/^(?:\$app\$|otpauth:\/\/)/.test(secret);

/**
 * The management API of Stalwart 0.15, as its sources and its older users have it: none of it was recorded. One signs in by the name
 * of a principal.
 */
export class StalwartPrincipals {
  readonly all: Principal[] = [];
  readonly #setPassword: SetPassword;
  /** The field of a principal that names it in an address. */
  #by: 'name' | 'id' = 'name';

  constructor(setPassword: SetPassword) {
    this.#setPassword = setPassword;
  }

  callBy(field: 'name' | 'id'): void {
    this.#by = field;
  }

  add(principal: { type: string; name: string; emails?: string[]; secrets?: string[] }): void {
    this.all.push({ emails: [], secrets: [], ...principal, id: this.all.length + 1 });
  }

  /** @returns the answer's value. @throws {WrongRequest} */
  async answer({ method, path, body }: Asked): Promise<unknown> {
    const url = new URL(path, 'http://x');
    const name = decodeURIComponent(url.pathname.replace(/^\/api\/principal\/?/, ''));
    if (method === 'GET' && name === '') return this.#list(url.searchParams.get('types') ?? '');
    if (method === 'POST' && name === '')
      return await this.#make(JSON.parse(body) as Record<string, unknown>);
    if (method === 'PATCH') return await this.#change(name, JSON.parse(body) as Change[]);
    throw new WrongRequest(`${method} ${path}`);
  }

  #list(type: string) {
    if (!['domain', 'individual'].includes(type)) throw new WrongRequest(`types=${type}`);
    const items = this.all.filter((one) => one.type === type);
    // A list of one is given as its only element.
    const shown = items.map(({ secrets: _, ...one }) => ({
      ...one,
      emails: one.emails.length === 1 ? one.emails[0] : one.emails,
    }));
    return { data: { items: shown, total: shown.length } };
  }

  async #make(asked: Record<string, unknown>): Promise<unknown> {
    for (const field of emptyLists) if (JSON.stringify(asked[field]) !== '[]') throw new WrongRequest(field);
    if (asked.quota !== 0 || typeof asked.description !== 'string')
      throw new WrongRequest('quota, description');
    const fields = ['description', 'emails', 'name', 'quota', 'roles', 'secrets', 'type', ...emptyLists];
    if (String(Object.keys(asked).sort()) !== String(fields.sort())) throw new WrongRequest('fields');
    const { secrets, emails, roles } = asked as unknown as Record<string, string[]>;
    const [password = ''] = secrets ?? [];
    const own = asked.type === 'domain' ? [0, 0, 0] : [1, 1, 1];
    if (String([secrets?.length, emails?.length, roles?.length]) !== String(own))
      throw new WrongRequest('secrets, emails, roles');
    if (asked.type === 'individual' && roles?.[0] !== 'user') throw new WrongRequest('roles');
    if (this.all.some((one) => one.name === asked.name))
      return { error: 'fieldAlreadyExists', field: 'name' };
    const { name } = asked as { name: string };
    if (asked.type === 'individual') await this.#setPassword(emails?.[0] ?? '', password, name);
    this.add(asked as { type: string; name: string; emails: string[]; secrets: string[] });
    return { data: this.all.length };
  }

  async #change(called: string, changes: readonly Change[]): Promise<unknown> {
    const found = this.all.find((one) => String(one[this.#by]) === called);
    if (!found) return { error: 'notFound', item: called };
    for (const { action, field, value } of changes) {
      const secret = String(value);
      if (action === 'addItem' && field === 'emails') found.emails.push(secret);
      else if (action === 'set' && field === 'secrets') found.secrets = value as string[];
      else if (action === 'removeItem' && field === 'secrets')
        found.secrets = found.secrets.filter((one) => (secret === '' ? !isPassword(one) : one !== secret));
      else if (action === 'addItem' && field === 'secrets') found.secrets.push(secret);
      else throw new WrongRequest(`${action} ${field}`);
    }
    const password = found.secrets.find(isPassword);
    if (password !== undefined)
      for (const address of found.emails) await this.#setPassword(address, password, found.name);
    return { data: null };
  }
}
