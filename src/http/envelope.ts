import type { Response } from 'express';
import type { ValidationItem } from '../contract/validation-items.js';
import { noteInvalid } from './observer.js';

/** Sends a body without express-openapi-validator looking at it: these answers are not an operation's own. */
export function sendEnvelope(
  response: Response,
  status: number,
  detail: string | ValidationItem[],
  headers: Readonly<Record<string, string>> = {},
): void {
  if (typeof detail !== 'string') noteInvalid(response, detail);
  const body = Buffer.from(JSON.stringify({ detail }));
  response.status(status);
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  response.setHeader('Content-Type', 'application/json; charset=utf-8');
  response.setHeader('Content-Length', body.length);
  response.end(body);
}
