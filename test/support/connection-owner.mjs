// A program that holds a connection to a tmux session, as a gateway does: `node connection-owner.mjs SOCKET SESSION`. Says
// the pid of the connection, answers each message with what tmux says, and closes when nobody is there to ask any more.
import { Tmux } from '../../dist/src/terminal/tmux.js';

const [socketPath, session] = process.argv.slice(2);
const tmux = new Tmux({ environment: process.env, socketPath });
const control = await tmux.control(session, { wrote: () => undefined, closed: () => undefined });
const ask = async (format) => (await control.ask(['display-message', '-p', format]))[0];
process.on('message', async (format) => process.send(await ask(format)));
process.once('disconnect', () => control.close());
process.send(await ask('#{client_pid}'));
