/** All permissions of a node with the default plugins. */
export const ALL_PERMISSIONS = ['read', 'write', 'federate', 'admin', 'audit.read', 'instruction:write'] as const;
export type DefaultPermission = (typeof ALL_PERMISSIONS)[number];
