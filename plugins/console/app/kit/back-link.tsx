import { addressOf } from '../shell/address.ts';
import type { ScreenName } from '../shell/screen-list.ts';
import { useTexts } from './use-texts.ts';

/** Leads from one item back to the list on its screen. */
export const BackLink = ({ screen }: { screen: ScreenName }) => (
  <p class="back">
    <a href={addressOf(screen)}>← {useTexts().screens[screen]}</a>
  </p>
);
