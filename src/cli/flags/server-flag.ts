import { InvalidArgumentError, Option } from 'commander';

export interface ServerFlag {
  /** The address of a managed-agent server; left out, those of this host are asked where one is needed. */
  server?: string;
}

export const serverOption = (): Option =>
  new Option('--server <url>', 'use the managed-agent server at this URL').argParser(toServerUrl);

/** How to come back to the same server: nothing where it is found without being named. */
export const serverFlagWords = ({ server }: ServerFlag): string =>
  server === undefined ? '' : ` --server ${server}`;

function toServerUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:')
    throw new InvalidArgumentError('It must be a URL such as http://127.0.0.1:9889.');
  return text.replace(/\/+$/, '');
}
