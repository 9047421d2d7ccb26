import type { FailedFetch } from './surface.js';

/** The reason why a TLS connection was not made. No part of a request is sent before it is made. */
type Trouble =
  /** The server at that address does not speak TLS. */
  | 'plain'
  /** The certificate is for another name. */
  | 'name'
  /** The certificate is not trusted, or not valid now. */
  | 'certificate'
  /** Both sides speak TLS, but have no version or cipher in common. */
  | 'terms'
  /** The handshake was broken off. */
  | 'cut';

/** Explains a failed TLS handshake of Node's `fetch`; null for any other failure. */
export function readHandshake(reason: Error, baseUrl: string): FailedFetch | null {
  const trouble = troubleOf(reason);
  if (trouble === null) return null;
  const { why, remedy } = wordsOf(trouble, reason, baseUrl);
  return {
    words: `the TLS handshake failed, and nothing was sent: ${why}. ${remedy}.`,
    isUnreached: true,
    isHopeless: trouble !== 'cut',
  };
}

/** Classifies by the codes of OpenSSL and Node. Codes that can also occur after the handshake are left out. */
function troubleOf(reason: Error): Trouble | null {
  const code = String((reason as Error & { code?: unknown }).code);
  if (/^ERR_SSL_(WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG|HTTP_REQUEST)$/.test(code)) return 'plain';
  if (/^ERR_SSL_.*(PROTOCOL_VERSION|HANDSHAKE_FAILURE|UNSUPPORTED_PROTOCOL|UNRECOGNIZED_NAME)$/.test(code))
    return 'terms';
  if (code.startsWith('ERR_SSL_')) return null;
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID' || code === 'HOSTNAME_MISMATCH') return 'name';
  if (/CERT|^UNABLE_TO_|^INVALID_(CA|PURPOSE)$/.test(code)) return 'certificate';
  return reason.message.includes('before secure TLS connection was established') ? 'cut' : null;
}

function wordsOf(trouble: Trouble, reason: Error, baseUrl: string): { why: string; remedy: string } {
  const plain = baseUrl.replace(/^https:/, 'http:');
  // OpenSSL puts its own source lines into the message; the plain words are in `reason`.
  const { message, reason: short } = reason as Error & { reason?: unknown };
  const said = trouble === 'terms' && short ? String(short) : message.trim().replace(/:$/, '');
  switch (trouble) {
    case 'plain':
      return { why: 'what listens there does not speak TLS', remedy: `Try ${plain}` };
    case 'name':
      return { why: said, remedy: 'Call it by a name that its certificate has' };
    case 'certificate':
      return {
        why: `its certificate is refused (${said})`,
        remedy:
          'Start this program with NODE_EXTRA_CA_CERTS=<file> to have Node trust it, or give the client a `fetch` that does',
      };
    case 'terms':
      return {
        why: `both sides have no way of it in common (${said})`,
        remedy: `What listens there may be too old, or be meant for others; try ${plain} where it is on this machine`,
      };
    case 'cut':
      return {
        why: 'the other side broke it off',
        remedy: `What listens there may not speak TLS; try ${plain}`,
      };
  }
}
