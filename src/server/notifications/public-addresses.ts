import { type LookupAddress, lookup } from 'node:dns';
import type { LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';

/** The code of {@link PrivateAddress}, which is left of it when a connection fails. */
export const privateAddressCode = 'PRIVATE_ADDRESS';

/** A host that is, or leads to, an address which is not public. */
export class PrivateAddress extends Error {
  override readonly name = 'PrivateAddress';
  readonly code = privateAddressCode;

  constructor(host: string, address: string) {
    super(
      `${host === address ? host : `${host} is ${address}, which`} is no public address; start the server with --allow-private-webhooks to send there`,
    );
  }
}

/** Pure: decides whether an address is one of the public internet. Everything that is set aside for something else is not. */
export const isPublicAddress = (address: string): boolean =>
  ipaddr.isValid(address) && ipaddr.process(address).range() === 'unicast';

/** Returns the host of an address, without the brackets of IPv6. */
export const hostOf = (url: string): string => new URL(url).hostname.replace(/^\[(.*)\]$/, '$1');

/** @throws {PrivateAddress} for a host that is an address and not a public one. */
export function requirePublic(host: string): void {
  if (ipaddr.isValid(host) && !isPublicAddress(host)) throw new PrivateAddress(host, host);
}

/**
 * Resolves a name as every connection does, and refuses one of which any address is not public. It is asked at each connection: a
 * name may lead somewhere else than when it was checked.
 */
export const lookupPublic: LookupFunction = (host, options, done) => {
  lookup(host, { ...options, all: true }, (error, found) => {
    if (error) return done(error, '');
    const hidden = found.find(({ address }) => !isPublicAddress(address));
    if (hidden) return done(new PrivateAddress(host, hidden.address), '');
    if (options.all === true) return done(null, found);
    const [first] = found as [LookupAddress];
    done(null, first.address, first.family);
  });
};

/**
 * Looks whether a webhook may be sent to an address. A name that cannot be resolved now passes: it is looked at again at each
 * connection.
 * @returns the reason against it; null where there is none.
 */
export function refusalOf(url: string): Promise<string | null> {
  const host = hostOf(url);
  return new Promise((resolve) => {
    const answer = (error: Error | null): void =>
      resolve(error instanceof PrivateAddress ? error.message : null);
    try {
      requirePublic(host);
    } catch (error) {
      return answer(error as Error);
    }
    lookupPublic(host, {}, answer);
  });
}
