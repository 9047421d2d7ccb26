const loopback = '127.0.0.1';

/** Why a gateway that listens on `host` serves no mail; null where it does. */
export const mailHostObstacle = (host: string): string | null =>
  host === loopback
    ? null
    : `Mail is only served by a gateway that listens on ${loopback}; this one listens on ${host}.`;
