"""What trace_in_chromium.py and trace_in_perfetto.py share: a headless Chromium, which runs a script in a page and takes a picture, and
the trace, read from a file or written by a program."""
import pathlib
import shutil
import subprocess
import tempfile

try:
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service
except ImportError:
    webdriver = None
BROWSER, DRIVER = shutil.which("chromium"), shutil.which("chromedriver")
INSTALLED = bool(webdriver and BROWSER and DRIVER)


def result_of(page, picture, script, *arguments):
    """What the asynchronous script returns in the page, of which a picture is taken after it."""
    options = webdriver.ChromeOptions()
    options.binary_location = BROWSER
    for o in ("--headless=new", "--no-sandbox", "--disable-gpu", "--window-size=1800,1100"):
        options.add_argument(o)
    browser = webdriver.Chrome(service=Service(DRIVER), options=options)
    try:
        browser.set_script_timeout(90)
        browser.get(page)
        result = browser.execute_async_script(script, *arguments)
        pathlib.Path(picture).parent.mkdir(parents=True, exist_ok=True)
        browser.save_screenshot(picture)
    finally:
        browser.quit()
    return result


def trace_of(source):
    """The text of a trace; `source`: its file, or a program that is called with the file to write."""
    if source.endswith(".json"):
        return pathlib.Path(source).read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "run.json")
        subprocess.run([str(pathlib.Path(source).resolve()), str(path)], stdout=subprocess.DEVNULL, check=True)
        return path.read_text(encoding="utf-8")
