#![no_main]

use libfuzzer_sys::fuzz_target;
use std::cell::OnceCell;
use turnkeeper_fuzz::checks::Service;

thread_local! {
    static SERVICE: OnceCell<Service> = const { OnceCell::new() };
}

fuzz_target!(|input: &[u8]| {
    SERVICE.with(|service| service.get_or_init(Service::start).imports(input));
});
