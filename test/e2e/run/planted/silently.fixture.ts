import { test } from 'vitest';

test.skipIf(true)('does not say why', () => undefined);
