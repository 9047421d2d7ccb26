/** Why Node does not accept the certificate of a server: it is for another name, or nothing that is trusted here vouches for it. */
export type CertificateFault = 'misnamed' | 'distrusted';

const misnamed = /^(?:ERR_TLS_CERT_ALTNAME_INVALID|HOSTNAME_MISMATCH)$/;
const distrusted = /CERT|^UNABLE_TO_|^INVALID_(?:CA|PURPOSE)$/;

/** Pure: returns what an error says of a certificate, by its code; null where it says nothing of one. */
export function certificateFaultOf(code: string): CertificateFault | null {
  if (misnamed.test(code)) return 'misnamed';
  return distrusted.test(code) ? 'distrusted' : null;
}
