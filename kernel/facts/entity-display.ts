/** The part of an entity that people know it by: what follows the last slash, or the last colon where there is none. */
export const entityDisplay = (entity: string): string => {
  const slash = entity.lastIndexOf('/');
  const name = entity.slice((slash === -1 ? entity.lastIndexOf(':') : slash) + 1);
  return name === '' ? entity : name;
};
