import { isIP } from 'node:net';
import { generate } from 'selfsigned';

/** The key and the certificate that a server shows to its callers. */
export interface TlsIdentity {
  key: string;
  cert: string;
}

/** An authority that signs for servers; the programs that get its certificate trust it. */
export interface TlsAuthority {
  cert: string;
  identity(name: string): Promise<TlsIdentity>;
}

/** A key and its certificate that nobody trusts, made new: no key stands in the repository. @param name of DNS, or an address. */
export const tlsIdentity = (name: string): Promise<TlsIdentity> => made(name);

export async function tlsAuthority(): Promise<TlsAuthority> {
  const extensions = [
    { name: 'basicConstraints' as const, cA: true, critical: true },
    { name: 'keyUsage' as const, keyCertSign: true, critical: true },
  ];
  const { private: key, cert } = await generate([{ name: 'commonName', value: 'a CA of tests' }], {
    keySize: 2048,
    extensions,
  });
  return { cert, identity: (name) => made(name, { key, cert }) };
}

async function made(name: string, ca?: TlsIdentity): Promise<TlsIdentity> {
  const altName = isIP(name) === 0 ? { type: 2 as const, value: name } : { type: 7 as const, ip: name };
  const extensions = [{ name: 'subjectAltName' as const, altNames: [altName] }];
  const identity = await generate([{ name: 'commonName', value: name }], {
    keySize: 2048,
    extensions,
    ...(ca && { ca }),
  });
  return { key: identity.private, cert: identity.cert };
}
