// Runs on a machine of a test network: each connection to its socket begins with a line that says where it is to lead there.
import { connect, createServer } from 'node:net';

const [path] = process.argv.slice(2);

createServer((near) => {
  near.on('error', () => undefined);
  near.once('data', (bytes) => {
    const end = bytes.indexOf('\n');
    const [host, port] = bytes.subarray(0, end).toString().split(' ');
    const far = connect(Number(port), host);
    far.on('error', () => near.destroy());
    near.on('close', () => far.destroy());
    far.on('close', () => near.destroy());
    far.write(bytes.subarray(end + 1));
    near.pipe(far).pipe(near);
  });
}).listen(path, () => console.log('ready'));
