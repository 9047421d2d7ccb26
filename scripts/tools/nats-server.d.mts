/** See nats-server.mjs. */
export function natsServer(say?: (text: string) => void): string;
