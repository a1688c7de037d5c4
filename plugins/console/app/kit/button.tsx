import type { JSX } from 'preact';

type ButtonProps = Omit<JSX.IntrinsicElements['button'], 'type' | 'children'> & { readonly text: string };

/** A button that acts at once. One that sends a form is a `<button type="submit">`. */
export const Button = ({ text, ...rest }: ButtonProps) => (
  <button type="button" {...rest}>
    {text}
  </button>
);
