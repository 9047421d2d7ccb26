import type { HttpObserver } from '../../contract/http-observer.js';
import type { SurfaceRequest, SurfaceResponse } from '../server/messages.js';

/** Tells an observer of a request when its answer is sent. */
export function observe(observer: HttpObserver, request: SurfaceRequest, response: SurfaceResponse): void {
  const begun = performance.now();
  const { method, path } = request;
  response.once('finish', () => {
    const answered = {
      method,
      path,
      status: response.statusCode,
      durationMs: Math.round(performance.now() - begun),
      requestId: response.requestId,
    };
    if (response.invalid) observer.invalid(answered, response.invalid);
    if (response.faultClass !== null) observer.failed(answered, response.faultClass);
    else observer.answered(answered);
  });
}
