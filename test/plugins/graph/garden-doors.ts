import { defineOwnPlugin } from '../../../kernel/internal-api.ts';
import { GardenAccess } from '../../../kernel/plugin-api.ts';
import type { AnyPlugin } from '../../../kernel/plugins/plugin-definition.ts';
import { openGardens } from '../../fakes/open-gardens.ts';

export const GARDEN = '6f1f6d5e-0000-4000-8000-000000000001';

/** Admits only the members, named by their entity, to the one garden. */
export const gardenDoors = (members: readonly string[]): AnyPlugin =>
  defineOwnPlugin({
    name: 'garden-doors',
    provides: [GardenAccess],
    setup: ({ provide }) =>
      provide(
        GardenAccess,
        openGardens((entityUri) => (members.includes(entityUri) ? [GARDEN] : [])),
      ),
  });
