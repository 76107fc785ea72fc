/** Whole-page notices: what happened, and what to do. */
import { Link } from 'wouter-preact';
import { baseUrl } from '../shared/base-url.ts';

interface TroubleProps {
  readonly title: string;
  readonly message: string;
  readonly onRetry: () => void;
}

export function Trouble({ title, message, onRetry }: TroubleProps) {
  return (
    <section class="blank" role="alert">
      <h2>{title}</h2>
      <p>{message}</p>
      <button class="button" type="button" onClick={onRetry}>
        Try again
      </button>
    </section>
  );
}

export function LoginLoop() {
  return (
    <section class="blank" role="alert">
      <h2>Logging in does not hold</h2>
      <p>
        The login worked, but the recorder did not recognise this browser afterwards. Most often the browser does not
        keep the cookie: allow cookies for this address, or, on plain HTTP, open the https:// address instead.
      </p>
      <a class="button" href={new URL('login', baseUrl).href}>
        To the login
      </a>
    </section>
  );
}

export function NoSuchPage() {
  return (
    <section class="blank">
      <h2>There is no such page</h2>
      <p>The address may be mistyped, or the page has moved.</p>
      <Link class="button" href="/">
        To Explore
      </Link>
    </section>
  );
}
