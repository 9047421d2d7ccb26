import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { turnEnvironment } from '../../../src/run/turn-job.js';

const home = { variable: 'CLAUDE_CONFIG_DIR', path: '/agent/home' };
const loopback = 'localhost,127.0.0.1,::1';

describe('the environment of a turn', () => {
  it('what comes later wins: launch, tool, home', () => {
    const made = turnEnvironment(
      { A: 'launch', B: 'launch', CLAUDE_CONFIG_DIR: 'launch' },
      { B: 'tool', CLAUDE_CONFIG_DIR: 'tool' },
      home,
    );
    expect(made).toEqual({
      A: 'launch',
      B: 'tool',
      CLAUDE_CONFIG_DIR: '/agent/home',
      TERM: 'tmux-256color',
      COLORTERM: 'truecolor',
      NO_PROXY: loopback,
      no_proxy: loopback,
    });
  });

  it('has nothing of the gateway’s own', () => {
    expect(Object.keys(turnEnvironment({}, {}, home))).not.toContain('PATH');
  });

  it('shows colour, unless the launch says to leave the terminal alone', () => {
    const launch = { TERM: 'dumb', NO_COLOR: '1' };
    const coloured = turnEnvironment(launch, {}, home);
    expect(coloured).toMatchObject({ TERM: 'tmux-256color', COLORTERM: 'truecolor' });
    expect(coloured).not.toHaveProperty('NO_COLOR');
    const left = turnEnvironment({ ...launch, HOUMAO_ENABLE_TMUX_CONFIG_INJECTION: '0' }, {}, home);
    expect(left.TERM).toBe('dumb');
    expect(left.NO_COLOR).toBe('1');
    expect(left).not.toHaveProperty('COLORTERM');
  });

  it('loopback goes past every proxy, once, behind the hosts that were named', () => {
    const host = fc.constantFrom('a.example', 'localhost', '127.0.0.1', ' b.example ', '');
    const list = fc.option(
      fc.array(host, { maxLength: 5 }).map((hosts) => hosts.join(',')),
      { nil: undefined },
    );
    fc.assert(
      fc.property(list, list, (upper, lower) => {
        const launch = {
          ...(upper !== undefined && { NO_PROXY: upper }),
          ...(lower !== undefined && { no_proxy: lower }),
        };
        const made = turnEnvironment(launch, {}, home);
        const hosts = made.NO_PROXY?.split(',') ?? [];
        expect(made.no_proxy).toBe(made.NO_PROXY);
        expect(new Set(hosts).size).toBe(hosts.length);
        const named = `${upper ?? ''},${lower ?? ''}`.split(',').map((one) => one.trim());
        const wanted = new Set([...named.filter((one) => one !== ''), ...loopback.split(',')]);
        expect(new Set(hosts)).toEqual(wanted);
      }),
    );
  });

  it('leaves the proxy variables alone on request', () => {
    const launch = { HOUMAO_PRESERVE_NO_PROXY_ENV: '1', NO_PROXY: 'x' };
    const made = turnEnvironment(launch, {}, home);
    expect(made.NO_PROXY).toBe('x');
    expect(made).not.toHaveProperty('no_proxy');
  });
});
