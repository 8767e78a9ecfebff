/** The script of every page of the service. */

const YEAR_SECONDS = 31_536_000;

// Buttons of the other languages are shown where a choice can be kept: a page in a sandbox has no cookies.
if (keepsCookies())
  for (const button of document.querySelectorAll<HTMLButtonElement>('button[data-language]')) {
    button.addEventListener('click', () => {
      // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is missing over plain http
      document.cookie = `perch_language=${button.dataset.language}; Path=/; Max-Age=${YEAR_SECONDS}; SameSite=Lax`;
      location.reload();
    });
    button.hidden = false;
  }

function keepsCookies(): boolean {
  try {
    return navigator.cookieEnabled && typeof document.cookie === 'string';
  } catch {
    return false;
  }
}
