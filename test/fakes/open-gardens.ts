import type { GardenAccess } from '../../kernel/plugin-api.ts';

/** A gardens service in which every reader of a garden may write to it, and no caller administers any. */
export const openGardens = (readable: (entityUri: string) => 'all' | readonly string[]): GardenAccess => ({
  readable: async ({ entityUri }) => readable(entityUri),
  enter: async (name, { entityUri }) => {
    const gardens = readable(entityUri);
    return gardens === 'all' || gardens.includes(name) ? { id: name, scope: 'local', mayWrite: true } : undefined;
  },
  writable: async ({ entityUri }) => {
    const gardens = readable(entityUri);
    return gardens === 'all' ? [] : gardens;
  },
  administered: async () => [],
});
