import { IncomingMessage, ServerResponse } from 'node:http';
import express, { type Express, type Request, type Response } from 'express';
import type { BrokenRule } from '../../contract/validation-items.js';
import { newHttpRequestId } from '../../foundation/ids.js';
import type { AnswersUnderWay } from './answers-under-way.js';

/** The fields of a surface's requests besides express's. */
interface AskedParts {
  /** The text of the body as it was sent, while the contract may still refuse it; `body` gets the defaults of the contract. */
  bodyText?: string;
  /** Whether the user who runs the program, or root, calls from this machine, by a program that is no web page. */
  byOwner?: boolean;
}

/** A request as the walls and the dispatch of a surface see it. */
export type SurfaceRequest = Request & AskedParts;

/** The fields of a surface's responses besides express's. */
interface AnswerParts {
  /** The `X-Request-Id` of this call. */
  readonly requestId: string;
  /** The operation that the call reached; null before that, and for a call that reaches none. */
  operationId: string | null;
  /** The items of a request that broke a rule of its fields; set for the observer. */
  invalid: readonly BrokenRule[] | null;
  /** The class of an error that was thrown inside; set for the observer. */
  faultClass: string | null;
  /** Aborted when the caller goes away before the answer, or when the server stops. Made at the first access. */
  readonly waitSignal: AbortSignal;
  /** Whether the server accepts no new work any more. */
  readonly stopping: boolean;
  /** Whether a browser may keep the answer; `no-store` unless the page says otherwise. */
  cacheControl: string;
  /** Sends a whole JSON answer: head and body leave in one write. */
  sendJson(status: number, text: string, headers: Readonly<Record<string, unknown>>): void;
}
export type SurfaceResponse = Response & AnswerParts;

/** The classes of one server's requests and responses. */
export interface Messages {
  readonly Request: typeof IncomingMessage;
  readonly Response: typeof ServerResponse;
  /** Makes an app use them as they are. A pair serves one app. */
  adoptBy(app: Express): void;
}

/**
 * Makes requests and responses that are created with express's prototypes. Otherwise express sets the prototype of every
 * request and response, and V8 then makes a hidden class for each one, which keeps the object alive until a full collection:
 * half of a request's processor time (nodejs/node#37457, expressjs/express#5998). Remove when the test `messages` says that
 * express leaves prototypes alone.
 *
 * Each server has its own pair of classes, since express finds the app of a request by its prototype.
 */
export function surfaceMessages(underWay: AnswersUnderWay): Messages {
  class OwnRequest extends IncomingMessage {
    // Express and the validator write these fields; a field that exists from the beginning does not change the object's shape.
    originalUrl = '';
    body: unknown = undefined;
    bodyText = '';
    byOwner = false;
    params: unknown = undefined;
    openapi: unknown = undefined;
  }

  class OwnResponse extends ServerResponse implements Omit<AnswerParts, 'sendJson'> {
    readonly requestId = newHttpRequestId();
    operationId: string | null = null;
    locals: Record<string, unknown> = {};
    invalid: readonly BrokenRule[] | null = null;
    faultClass: string | null = null;
    cacheControl = 'no-store';

    get stopping(): boolean {
      return underWay.stopping;
    }

    get waitSignal(): AbortSignal {
      return underWay.waitSignalOf(this);
    }

    /** Every other answer passes here, whichever code sends it, so that none leaves without its id. */
    override writeHead(...given: unknown[]): this {
      this.setHeader('X-Request-Id', this.requestId);
      this.setHeader('X-Content-Type-Options', 'nosniff');
      this.setHeader('Cache-Control', this.cacheControl);
      if (underWay.isLastOf(this)) this.setHeader('Connection', 'close');
      return (super.writeHead as (...given: unknown[]) => this)(...given);
    }

    sendJson(status: number, text: string, headers: Readonly<Record<string, unknown>>): void {
      const head: (string | number)[] = [
        'X-Request-Id',
        this.requestId,
        'X-Content-Type-Options',
        'nosniff',
        'Cache-Control',
        'no-store',
        'Content-Type',
        'application/json; charset=utf-8',
        'Content-Length',
        Buffer.byteLength(text),
      ];
      for (const name in headers) if (headers[name] !== undefined) head.push(name, String(headers[name]));
      if (underWay.isLastOf(this)) head.push('Connection', 'close');
      super.writeHead(status, head as unknown as string[]);
      this.end(this.req.method === 'HEAD' ? '' : text);
    }
  }

  Object.setPrototypeOf(OwnRequest.prototype, express.request);
  Object.setPrototypeOf(OwnResponse.prototype, express.response);
  return {
    Request: OwnRequest,
    Response: OwnResponse as unknown as typeof ServerResponse,
    adoptBy(app) {
      const own = { configurable: true, enumerable: true, writable: true, value: app };
      Object.defineProperty(OwnRequest.prototype, 'app', own);
      Object.defineProperty(OwnResponse.prototype, 'app', own);
      app.request = OwnRequest.prototype as unknown as Express['request'];
      app.response = OwnResponse.prototype as unknown as Express['response'];
    },
  };
}
