import { CORE_PERMISSIONS, type CorePermission } from '../../ports/ports.ts';
import { defineVocabulary, type Word } from './define-vocabulary.ts';

/** A right that a key may have. The set is flat: no permission contains another one. */
export type PermissionWord = Word;

export const Permissions = defineVocabulary<PermissionWord>('permission', /^(?!any$)[a-z][a-z0-9-]*([.:][a-z0-9-]+)*$/);

/**
 * Declares a permission of a plugin: `definePermission('budget.spend', { summary: 'spend' })`. Keys can be
 * made with it while the plugin that lists it in `declares` is enabled. Routes ask for it in `access`, other code with
 * `caller.permissions.has(WORD.id)`.
 */
export const definePermission = (id: string, definition: { readonly summary: string }): PermissionWord =>
  Permissions.define(id, definition);

/** A required permission: the name of a kernel permission, or the word of a plugin. */
export type RequiredPermission = CorePermission | PermissionWord;

export const permissionId = (asked: RequiredPermission): string => (typeof asked === 'string' ? asked : asked.id);

export const CORE_PERMISSION_WORDS: readonly PermissionWord[] = Object.entries(CORE_PERMISSIONS).map(([id, summary]) =>
  definePermission(id, { summary }),
);
