import { createRequire } from 'node:module';
import { join } from 'node:path';
import { packageRoot, version } from '../foundation/version.js';
// Types alone: the file itself is loaded only where traces are wanted.
import type { TracedProgram, Tracing } from './traces.js';

/** The file that has OpenTelemetry: the build makes it of `traces.ts`, and programs without traces do not load it. */
const tracesFile = join(packageRoot, 'dist', 'programs', 'houmao-traces.cjs');

const endpoints = ['OTEL_EXPORTER_OTLP_ENDPOINT', 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'] as const;

/** Whether traces are asked for; `unknown` names an exporter that these programs do not have. */
export type TracesAsked = { asked: boolean } | { asked: false; unknown: string };

/** Decides by OpenTelemetry's standard variables whether traces are wanted. Pure. */
export function tracesAsked(environment: NodeJS.ProcessEnv): TracesAsked {
  if (environment.OTEL_SDK_DISABLED?.trim().toLowerCase() === 'true') return { asked: false };
  const exporter = environment.OTEL_TRACES_EXPORTER?.trim() ?? '';
  if (exporter === 'none') return { asked: false };
  if (exporter !== '' && exporter !== 'otlp') return { asked: false, unknown: exporter };
  return { asked: exporter === 'otlp' || endpoints.some((name) => (environment[name]?.trim() ?? '') !== '') };
}

/**
 * Begins to trace where the environment asks for it.
 * @returns null where it does not; nothing was loaded then.
 */
export function loadTracing(
  environment: NodeJS.ProcessEnv,
  program: Omit<TracedProgram, 'version'>,
): Tracing | null {
  const wanted = tracesAsked(environment);
  if ('unknown' in wanted)
    program.report(
      `OTEL_TRACES_EXPORTER is ${wanted.unknown}; it must be otlp or none. There are no traces until it is`,
    );
  if (!wanted.asked) return null;
  // Not by `loadCached`: the exporter imports `http` when it first sends, which a script of `node:vm` cannot.
  const { startTracing } = createRequire(tracesFile)(tracesFile) as typeof import('./traces.js');
  return startTracing({ ...program, version });
}
