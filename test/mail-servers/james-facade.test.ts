import { describe } from 'vitest';
import { testFacade } from '../contract/mail/facade-suite.js';
import { serverPlace } from '../contract/mail/server-place.js';
import { startJames } from '../support/jmap/james/james-server.js';

describe('on Apache James', () => {
  const place = serverPlace((users) => startJames(process.env.HOUMAO_JAMES_JARS!, users));
  testFacade({ ...place, unknownRef: 'stalwart:999999999', strangers: 'returned' });
});
